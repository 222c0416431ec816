import { afterEach, expect, test, vi } from 'vitest';
import app, { messages, type RefreshState } from '../../../../src/integration/dev/toolbar-app.ts';
import type { LoadReport } from '../../../../src/report/load-report.ts';

afterEach(() => vi.unstubAllGlobals());

/** An element as far as the app uses it. */
class FakeElement {
  readonly name: string;
  children: (FakeElement | string)[] = [];
  role = '';
  click = () => {};

  constructor(name: string) {
    this.name = name;
  }

  append(...children: (FakeElement | string)[]): void {
    this.children.push(...children);
  }

  replaceChildren(...children: (FakeElement | string)[]): void {
    this.children = children;
  }

  addEventListener(_: string, listener: () => void): void {
    this.click = listener;
  }

  set textContent(text: string) {
    this.children = [text];
  }

  /** Returns the texts of the elements with a name. */
  textsOf(name: string): string[] {
    const own = this.name === name ? [this.text()] : [];
    return [...own, ...this.elements().flatMap((each) => each.textsOf(name))];
  }

  text(): string {
    return this.children.map((each) => (typeof each === 'string' ? each : each.text())).join('');
  }

  elements(): FakeElement[] {
    return this.children.filter((each) => typeof each !== 'string');
  }

  all(): FakeElement[] {
    return [this, ...this.elements().flatMap((each) => each.all())];
  }
}

/** Opens the app. Returns what it shows, and what it sends and notifies. */
function open() {
  vi.stubGlobal('document', { createElement: (name: string) => new FakeElement(name) });
  const canvas = new FakeElement('canvas');
  const toggleNotification = vi.fn();
  const send = vi.fn();
  let show = (_: RefreshState) => {};
  const on = (name: string, listener: typeof show) => {
    if (name === messages.state) show = listener;
  };
  app.init?.(canvas as never, { toggleNotification } as never, { on, send } as never);
  const sent = () => send.mock.calls.map(([name]) => name);
  return { canvas, sent, toggleNotification, show: (state: RefreshState) => show(state) };
}

const loaded: LoadReport = { collection: 'news', status: 'synced', duration: 1, notices: [] };
const none = { shown: 0, added: 0, updated: 0, unchanged: 0, older: 0 };
const changes = { ...none, shown: 1, added: 1, drafts: [], removed: [], leftOut: {} };
const report = { ...loaded, changes };
const notice = { code: 'mirror', text: 'A notice.' };

test.each<[string, RefreshState, Record<string, string[]>, object]>([
  [
    'no load',
    { reports: [] },
    { p: ['No collection has been loaded yet.'] },
    { state: false, level: 'warning' },
  ],
  [
    'a load without notices',
    { reports: [report] },
    { h2: ['Collection “news”'], p: [expect.stringMatching(/^1 article shown/)], li: [] },
    { state: false, level: 'warning' },
  ],
  [
    'loads of which one has notices',
    { reports: [report, { ...report, collection: 'articles', notices: [notice] }] },
    { h2: ['Collection “news”', 'Collection “articles”'], li: ['A notice.'] },
    { state: true, level: 'warning' },
  ],
  [
    'a load that failed',
    { error: 'The key is wrong.', reports: [{ ...loaded, status: 'failed' }] },
    { p: ['The key is wrong.', 'The load failed.'] },
    { state: true, level: 'error' },
  ],
])('the toolbar shows %s', (_, state, texts, notification) => {
  const { canvas, show, toggleNotification } = open();
  show({ error: 'down', reports: [report] });
  show(state);
  for (const [name, expected] of Object.entries(texts))
    expect(canvas.textsOf(name)).toEqual(expected);
  const alerts = canvas.all().filter(({ role }) => role === 'alert');
  expect(alerts.map((each) => each.text())).toEqual(state.error ? [state.error] : []);
  expect(toggleNotification).toHaveBeenLastCalledWith(notification);
});

test('the toolbar requests the state when it opens, and a load when its button is pressed', () => {
  const { canvas, sent, show } = open();
  expect(sent()).toEqual([messages.request]);
  const button = () => canvas.textsOf('astro-dev-toolbar-button');
  canvas
    .all()
    .find(({ name }) => name.endsWith('button'))
    ?.click();
  expect(sent()).toEqual([messages.request, messages.refresh]);
  expect(button()).toEqual(['Refreshing …']);
  show({ reports: [] });
  expect(button()).toEqual(['Refresh']);
});
