import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BaseIntegrationHooks } from 'astro';
import { siteAt } from '../../content/site-state.ts';
import { decodeText } from './endpoint.ts';
import type { Refresher } from './refresher.ts';
import {
  messages,
  type Question,
  type ShownArticle,
  type ToolbarState,
} from './toolbar-messages.ts';

type Toolbar = Parameters<BaseIntegrationHooks['astro:server:setup']>[0]['toolbar'];

/** Lets the toolbar's app ask, and tells it whenever something changes. */
export function connectToolbar(
  toolbar: Toolbar,
  { root, refresher }: { root: URL; refresher: Refresher },
): void {
  /** By folder, in bytes. */
  const sizes = new Map<string, number>();
  const measure = async () => {
    for (const { mirror } of refresher.state().reports) {
      if (mirror) sizes.set(mirror.folder, await sizeOf(mirror.folder));
    }
  };
  const send = (more: Partial<ToolbarState> = {}) => {
    const { error, reports } = refresher.state();
    const sized = reports.map((report) => {
      const mirrorBytes = report.mirror && sizes.get(report.mirror.folder);
      return mirrorBytes === undefined ? report : { ...report, mirrorBytes };
    });
    const { isBusy: busy } = refresher;
    const state: ToolbarState = { busy, ...(error ? { error } : {}), reports: sized, ...more };
    toolbar.send(messages.state, state);
  };
  refresher.onChange(async ({ progress }, stage) => {
    // All files of the mirror are looked at for its size: not while they are written.
    if (stage === 'ended') await measure();
    send(progress ? { progress } : {});
  });
  toolbar.on(messages.refresh, () => void refresher.refresh());
  toolbar.on<Question>(messages.ask, async ({ path }) => {
    const article = await articleAt(root, path);
    await measure();
    send({ page: { path, ...(article ? { article } : {}) } });
  });
}

/** The article whose page has a path: its slug or its id is one of the segments, mostly the last. */
async function articleAt(root: URL, path: string): Promise<ShownArticle | undefined> {
  const segments = path.split('/').filter(Boolean).map(decodeText).toReversed();
  for (const segment of segments) {
    for (const [collection, find] of siteAt(root).finders) {
      const found = await find(segment);
      if (!found) continue;
      const { read: _, ...facts } = found;
      const json = `/_articles/${encodeURIComponent(collection)}/${encodeURIComponent(facts.id)}.json`;
      return { collection, ...facts, json };
    }
  }
  return undefined;
}

async function sizeOf(folder: string): Promise<number> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = found.filter((entry) => entry.isFile());
  const sizes = files.map(({ parentPath, name }) =>
    stat(join(parentPath, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((total, size) => total + size, 0);
}
