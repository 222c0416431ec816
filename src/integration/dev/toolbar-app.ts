import type { DevToolbarApp } from 'astro';
import {
  messages,
  type Question,
  type ShownArticle,
  type ToolbarState,
} from './toolbar-messages.ts';

const styles = `
  :host { color-scheme: dark; }
  header { display: flex; align-items: center; gap: 12px; }
  h1 { flex: 1; margin: 0; font-size: 22px; font-weight: 600; color: #fff; }
  h2 { margin: 20px 0 4px; font-size: 16px; font-weight: 600; color: #fff; }
  .scroll { overflow-y: auto; margin-top: 12px; }
  p { margin: 8px 0; line-height: 1.5; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px; margin: 8px 0; }
  dt { color: rgba(191, 193, 201, 0.75); }
  dd { margin: 0; color: #fff; overflow-wrap: anywhere; }
  ul { margin: 8px 0; padding-left: 20px; }
  li { margin: 4px 0; overflow-wrap: anywhere; }
  a { color: #b58dff; }
  [role=alert] { padding: 8px 12px; border-left: 3px solid #ff5d5d; background: #2c1717; color: #fff; }
`;

/** The app in Astro's dev toolbar: how the last load went, and a button for another one. */
const app: DevToolbarApp = {
  init(canvas, events, server) {
    const panel = document.createElement('astro-dev-toolbar-window');
    const style = create('style', {}, styles);
    const body = create('div', { class: 'scroll', 'aria-live': 'polite' });
    const button = document.createElement('astro-dev-toolbar-button');
    button.textContent = 'Refresh';
    button.addEventListener('click', () => server.send(messages.refresh, {}));
    panel.append(create('header', {}, create('h1', {}, 'Articles'), button), body);
    canvas.append(style, panel);

    let article: ShownArticle | undefined;
    const ask = () => server.send<Question>(messages.ask, { path: location.pathname });
    server.on<ToolbarState>(messages.state, (state) => {
      // What is sent reaches every open page.
      if (state.page?.path === location.pathname) article = state.page.article;
      button.textContent = state.busy ? describeProgress(state) : 'Refresh';
      button.toggleAttribute('disabled', state.busy);
      body.replaceChildren(...describeState(state, article));
      const troubled = state.error !== undefined || state.reports.some(hasWarnings);
      events.toggleNotification(
        troubled ? { state: true, level: state.error ? 'error' : 'warning' } : { state: false },
      );
    });
    events.onToggled(({ state }) => {
      if (state) ask();
    });
    document.addEventListener('astro:page-load', () => {
      article = undefined;
      ask();
    });
    ask();
  },
};

export default app;

type Report = ToolbarState['reports'][number];

const hasWarnings = ({ warnings }: Report) => warnings.length > 0;

function describeProgress({ progress }: ToolbarState): string {
  return progress?.toFetch ? `Refreshing ${progress.fetched}/${progress.toFetch}…` : 'Refreshing…';
}

function describeState({ error, reports }: ToolbarState, article?: ShownArticle): Node[] {
  return [
    ...(error ? [create('p', { role: 'alert' }, error)] : []),
    ...(article ? describeArticle(article) : []),
    ...(reports.length > 0
      ? reports.flatMap(describeReport)
      : [create('p', {}, 'No collection was loaded yet.')]),
  ];
}

function describeArticle({ id, title, digest, cover, words, json }: ShownArticle): Node[] {
  const facts = {
    title,
    id,
    digest,
    cover: cover ? 'yes' : 'none',
    words: words ?? 'unknown',
    data: create('a', { href: json, target: '_blank' }, 'JSON'),
  };
  return [create('h2', {}, 'On this page'), list(facts)];
}

function describeReport(report: Report): Node[] {
  const { collection, at, duration, changes, traffic, warnings, mirror, mirrorBytes } = report;
  const facts: Record<string, string | undefined> = {
    'last load': `${ago(at)}, ${(duration / 1000).toFixed(1)} s`,
    articles: changes && String(changes.entries),
    changes:
      changes &&
      `${changes.added} added, ${changes.updated} updated, ${changes.removed} removed, ${changes.drafts} drafts left out`,
    requests:
      traffic && `${traffic.requests} (${traffic.retries} retries, ${traffic.pauses} pauses)`,
    mirror:
      mirror &&
      `${mirror.syncedAt ? ago(mirror.syncedAt) : 'empty'}, ${size(mirrorBytes ?? 0)}, ${mirror.images} images`,
  };
  return [
    create('h2', {}, `Collection “${collection}”`),
    list(facts),
    ...(warnings.length > 0
      ? [create('ul', {}, ...warnings.map(({ text }) => create('li', {}, text)))]
      : []),
  ];
}

function list(facts: Record<string, string | number | Node | undefined>): Node {
  const rows = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [create('dt', {}, name), create('dd', {}, value instanceof Node ? value : String(value))],
  );
  return create('dl', {}, ...rows);
}

function create(name: string, attributes: Record<string, string>, ...children: (Node | string)[]) {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    element.setAttribute(attribute, value);
  }
  element.append(...children);
  return element;
}

function ago(time: number): string {
  const seconds = Math.max(0, Math.round((Date.now() - time) / 1000));
  if (seconds < 5) return 'just now';
  const units: [number, string][] = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
    [1, 'second'],
  ];
  const [length = 1, unit = 'second'] = units.find(([length]) => seconds >= length) ?? [];
  const count = Math.floor(seconds / length);
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}

function size(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
