import type { BaseIntegrationHooks } from 'astro';
import { summarise } from '../../report/summary.ts';
import type { Refresher, RefreshState } from './refresher.ts';
import { messages, type ToolbarState } from './toolbar-messages.ts';

type Toolbar = Parameters<BaseIntegrationHooks['astro:server:setup']>[0]['toolbar'];

/** Sends the state of the collections to the toolbar app, on request and whenever it changes. */
export function connectToolbar(toolbar: Toolbar, refresher: Refresher): void {
  const send = () => toolbar.send(messages.state, toolbarState(refresher.state()));
  refresher.onChange(send);
  toolbar.on(messages.refresh, () => void refresher.refresh());
  toolbar.on(messages.request, send);
}

function toolbarState({ isBusy, progress, error, reports }: RefreshState): ToolbarState {
  const count = progress?.toFetch ? ` ${progress.fetched}/${progress.toFetch}` : '';
  return {
    progress: isBusy ? `Refreshing${count} …` : undefined,
    error,
    collections: reports.map(({ collection, changes, warnings, ...report }) => ({
      name: collection,
      at: report.at,
      summary: changes && summarise({ ...report, changes }),
      warnings: warnings.map(({ text }) => text),
    })),
  };
}
