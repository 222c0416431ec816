import { afterEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/shared/clock.ts';
import { useSite } from '../helpers/use-site.ts';

const site = useSite({
  articles: () => [
    { id: 1, title: 'Short', content: 'A few words.', cover_image: null },
    { id: 2, title: 'Long', content: 'Many words.', cover_image: null },
  ],
});

afterEach(() => vi.restoreAllMocks());

it('reports the id of an article that takes more than two seconds to render, and no other', async () => {
  let user = 0;
  const method = 'threadCpuUsage' in process ? 'threadCpuUsage' : 'cpuUsage';
  vi.spyOn(process, method).mockImplementation((before) => ({
    user: user - (before?.user ?? 0),
    system: 0,
  }));
  const start = systemClock.date();
  vi.spyOn(systemClock, 'date').mockImplementation(() => start + user / 1_000);
  const load = () =>
    site.load(
      {},
      {
        adapt: (context) => ({
          ...context,
          async renderMarkdown(markdown, options) {
            const result = await context.renderMarkdown(markdown, options);
            if (markdown.includes('words'))
              user += markdown.includes('Many') ? 2_500_000 : 1_500_000;
            return result;
          },
        }),
      },
    );
  const first = await load();
  expect(first.failure).toBeUndefined();
  expect(first.entries.size).toBe(2);
  const slow = first.warnings.filter((line) => line.includes('processor time'));
  expect(slow).toEqual([
    expect.stringMatching(/^Rendering article "2" took 2\.5 s .* blank lines/),
  ]);
  expect((await load()).warnings.join('\n')).not.toContain('processor time');
});
