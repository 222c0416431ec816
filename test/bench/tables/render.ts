import { describedArticles } from '../articles.ts';
import type { Bench, Table } from '../bench.ts';
import { milliseconds, spread, times } from '../figures.ts';
import { runProgram } from '../processes.ts';
import type { RenderFound } from '../programs/render.ts';

const countOf = ({ quick }: Bench) => (quick ? 100 : 500);

/** The cost of rendering an article. */
export const renderTable: Table = {
  name: 'render',
  title: 'Rendering an article',
  about: (bench) =>
    `Each of ${countOf(bench)} articles by each in turn, in one process, after 100 others, in CPU time. *Finishing* is what this package adds: ` +
    'sanitising, absolute addresses, the title, the description and the number of words. ' +
    describedArticles,
  columns: ['', '÷ Astro alone', 'per article', 'KB of Markdown per second'],

  async fill(bench, row) {
    let found: RenderFound[] = [];
    const of = (pick: (one: RenderFound) => number) => async () => {
      if (found.length === 0) throw new Error('nothing was rendered');
      const alone = found.map(({ astro }) => astro);
      const taken = found.map(pick);
      const rates = found.map((one) => one.markdown / pick(one));
      return [times(taken, alone), spread(taken, milliseconds), spread(rates, whole)];
    };
    await row('Astro’s `renderMarkdown` alone', async () => {
      const given = { count: countOf(bench), folder: bench.folder };
      found = await bench.repeat(() => runProgram<RenderFound>('render', given));
      return of(({ astro }) => astro)();
    });
    await row(
      'with finishing',
      of(({ ours }) => ours),
    );
    await row(
      'finishing alone',
      of(({ ours, astro }) => ours - astro),
    );
  },
};

const whole = (value: number) => value.toFixed(0);
