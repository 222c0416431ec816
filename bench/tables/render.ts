import { articlesNote } from '../articles.ts';
import type { Bench, Table } from '../bench.ts';
import { milliseconds, spread, times } from '../figures.ts';
import { runProgram } from '../processes.ts';
import type { RenderResult } from '../programs/render.ts';

const countOf = ({ quick }: Bench) => (quick ? 100 : 500);

/** The CPU time to render an article. */
export const renderTable: Table = {
  name: 'render',
  title: 'Rendering an article',
  about: (bench) =>
    `The CPU time to render each of ${countOf(bench)} articles, first by Astro and then by this package, in one process, after 100 ` +
    'articles to warm up. *Finishing* is the work that this package adds: sanitising, absolute URLs, the title, the ' +
    'description and the number of words. ' +
    articlesNote,
  columns: ['', '÷ Astro alone', 'per article', 'KB of Markdown per second'],

  async fill(bench, row) {
    let results: RenderResult[] = [];
    const cellsFor = (durationOf: (result: RenderResult) => number) => async () => {
      if (results.length === 0) throw new Error('no article was rendered');
      const astro = results.map((result) => result.astro);
      const durations = results.map(durationOf);
      const rates = results.map((result) => result.markdown / durationOf(result));
      return [times(durations, astro), spread(durations, milliseconds), spread(rates, integer)];
    };
    await row('Astro’s `renderMarkdown` alone', async () => {
      const options = { count: countOf(bench), folder: bench.folder };
      results = await bench.repeat(() => runProgram<RenderResult>('render', options));
      return cellsFor(({ astro }) => astro)();
    });
    await row(
      'with finishing',
      cellsFor(({ total }) => total),
    );
    await row(
      'finishing alone',
      cellsFor(({ total, astro }) => total - astro),
    );
  },
};

const integer = (value: number) => value.toFixed(0);
