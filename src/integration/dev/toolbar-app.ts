import type { DevToolbarApp } from 'astro';
import type { LoadReport } from '../../report/load-report.ts';
import { summarise } from '../../report/summary.ts';
import type { Warning } from '../../shared/logger.ts';
import type { OpenArticle } from './open-articles.ts';
import type { RefreshState } from './refresher.ts';

/** The names of the messages between this app and the dev server, which imports them. */
export const messages = {
  /** Sent to the server with the path of the page. The server then sends the page and the state. */
  request: 'astro-articles:request',
  /** Sent to the server, which then loads the articles again. */
  refresh: 'astro-articles:refresh',
  /** Sent by the server to all pages, with a `Page`. */
  page: 'astro-articles:page',
  /** Sent by the server after each change, with a `RefreshState`. */
  state: 'astro-articles:state',
} as const;

interface Page {
  path: string;
  articles: OpenArticle[];
}

const styles = `
  :host { color-scheme: dark; }
  header { display: flex; align-items: center; gap: 12px; }
  h1 { flex: 1; margin: 0; font-size: 22px; font-weight: 600; color: #fff; }
  h2 { margin: 20px 0 4px; font-size: 16px; font-weight: 600; color: #fff; }
  .scroll { overflow-y: auto; margin-top: 12px; }
  a { color: #9cc3ff; }
  p { margin: 8px 0; line-height: 1.5; }
  ul { margin: 8px 0; padding: 8px 12px 8px 28px; border-left: 3px solid #e5a50a; background: #2e2610; color: #fff; }
  li { margin: 4px 0; overflow-wrap: anywhere; }
  [role=alert] { padding: 8px 12px; border-left: 3px solid #ff5d5d; background: #2c1717; color: #fff; }
`;

/** The app in Astro's dev toolbar: the warnings and the result of the last load, and a button to refresh. */
const app: DevToolbarApp = {
  init(canvas, events, server) {
    const panel = document.createElement('astro-dev-toolbar-window');
    const button = document.createElement('astro-dev-toolbar-button');
    const body = create('div', { class: 'scroll', 'aria-live': 'polite' });
    panel.append(create('header', {}, create('h1', {}, 'Articles'), button), body);
    canvas.append(create('style', {}, styles), panel);

    let state: RefreshState = { isBusy: false, reports: [] };
    let open: OpenArticle[] = [];
    const show = () => body.replaceChildren(...describeState(state, open));

    const requestState = () => server.send(messages.request, { path: location.pathname });
    button.addEventListener('click', () => server.send(messages.refresh, {}));
    events.onToggled(({ state }) => {
      if (state) requestState();
    });
    server.on<Page>(messages.page, ({ path, articles }) => {
      // The server sends the articles of each page to all pages.
      if (path !== location.pathname) return;
      open = articles;
      show();
    });
    server.on<RefreshState>(messages.state, (received) => {
      state = received;
      button.textContent = state.isBusy ? 'Refreshing …' : 'Refresh';
      button.toggleAttribute('disabled', state.isBusy);
      show();
      const hasWarnings = state.reports.some(({ warnings }) => warnings.length > 0);
      const level = state.error === undefined ? 'warning' : 'error';
      events.toggleNotification({ state: level === 'error' || hasWarnings, level });
    });
    requestState();
  },
};

export default app;

function describeState({ error, reports }: RefreshState, open: readonly OpenArticle[]): Node[] {
  const isOpen = (collection: string) => (warning: Warning) =>
    open.some((each) => each.collection === collection && warning.articles?.includes(each.id));
  return [
    ...(error === undefined ? [] : [create('p', { role: 'alert' }, error)]),
    ...open.flatMap(({ collection, id, editUrl }) => {
      const heading = create('h2', {}, `This page shows article “${id}” of “${collection}”`);
      const link = { href: editUrl ?? '', target: '_blank', rel: 'noopener' };
      return editUrl ? [heading, create('a', link, 'Edit in the service')] : [heading];
    }),
    ...reports.flatMap(({ collection, warnings }) => {
      return listOf(warnings.filter(isOpen(collection)));
    }),
    ...reports.flatMap(({ collection, warnings }) => {
      const others = warnings.filter((warning) => !isOpen(collection)(warning));
      return describeWarnings(others, collection);
    }),
    ...reports.flatMap(describeLoad),
    ...(reports.length === 0 ? [create('p', {}, 'No collection has been loaded yet.')] : []),
  ];
}

function describeWarnings(warnings: readonly Warning[], collection: string): Node[] {
  const count = `${warnings.length} ${warnings.length === 1 ? 'warning' : 'warnings'}`;
  const heading = create('h2', {}, `${count} in “${collection}”`);
  return warnings.length > 0 ? [heading, ...listOf(warnings)] : [];
}

function listOf(warnings: readonly Warning[]): Node[] {
  const items = warnings.map(({ text }) => create('li', {}, text));
  return items.length > 0 ? [create('ul', {}, ...items)] : [];
}

function describeLoad({ collection, at, changes, ...report }: LoadReport): Node[] {
  const time = new Date(at).toLocaleTimeString();
  const result = changes ? summarise({ ...report, changes }) : 'The load failed.';
  return [create('h2', {}, `Collection “${collection}”`), create('p', {}, `${time}: ${result}`)];
}

function create(name: string, attributes: Record<string, string>, ...children: (Node | string)[]) {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    element.setAttribute(attribute, value);
  }
  element.append(...children);
  return element;
}
