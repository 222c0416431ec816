import type { DevToolbarApp } from 'astro';
import type { LoadReport } from '../../report/load-report.ts';
import { summarise } from '../../report/summary.ts';

/** The names of the messages between this app and the dev server, which imports them. */
export const messages = {
  /** Sent to the server, which then sends the state. */
  request: 'astro-articles:request',
  /** Sent to the server, which then loads the articles again. */
  refresh: 'astro-articles:refresh',
  /** Sent by the server after each load, and for a `request`, with a `RefreshState`. */
  state: 'astro-articles:state',
} as const;

export interface RefreshState {
  /** Why the last load failed, or why it has used the mirror. */
  error?: string | undefined;
  reports: LoadReport[];
}

const styles = `
  :host { color-scheme: dark; }
  header { display: flex; align-items: center; gap: 12px; }
  h1 { flex: 1; margin: 0; font-size: 22px; font-weight: 600; color: #fff; }
  h2 { margin: 20px 0 4px; font-size: 16px; font-weight: 600; color: #fff; }
  .scroll { overflow-y: auto; margin-top: 12px; }
  p { margin: 8px 0; line-height: 1.5; }
  ul { margin: 8px 0; padding: 8px 12px 8px 28px; border-left: 3px solid #e5a50a; background: #2e2610; color: #fff; }
  li { margin: 4px 0; overflow-wrap: anywhere; }
  [role=alert] { padding: 8px 12px; border-left: 3px solid #ff5d5d; background: #2c1717; color: #fff; }
`;

/** The app in Astro's dev toolbar: the last load of each collection, its notices, and a button to refresh. */
const app: DevToolbarApp = {
  init(canvas, events, server) {
    const panel = document.createElement('astro-dev-toolbar-window');
    const button = document.createElement('astro-dev-toolbar-button');
    const body = create('div', { className: 'scroll', ariaLive: 'polite' });
    panel.append(create('header', {}, create('h1', {}, 'Articles'), button), body);
    canvas.append(create('style', {}, styles), panel);

    button.addEventListener('click', () => {
      button.textContent = 'Refreshing …';
      server.send(messages.refresh, {});
    });
    server.on<RefreshState>(messages.state, ({ error, reports }) => {
      button.textContent = 'Refresh';
      const failure = error === undefined ? [] : [create('p', { role: 'alert' }, error)];
      const loads = reports.flatMap(describeLoad);
      const none = create('p', {}, 'No collection has been loaded yet.');
      body.replaceChildren(...failure, ...(loads.length > 0 ? loads : [none]));
      const hasNotices = reports.some(({ notices }) => notices.length > 0);
      const level = error === undefined ? 'warning' : 'error';
      events.toggleNotification({ state: level === 'error' || hasNotices, level });
    });
    server.send(messages.request, {});
  },
};

export default app;

function describeLoad({ collection, notices, ...report }: LoadReport): Node[] {
  const items = notices.map(({ text }) => create('li', {}, text));
  return [
    create('h2', {}, `Collection “${collection}”`),
    create('p', {}, summarise(report) ?? 'The load failed.'),
    ...(items.length > 0 ? [create('ul', {}, ...items)] : []),
  ];
}

function create(name: string, properties: object, ...children: (Node | string)[]): HTMLElement {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}
