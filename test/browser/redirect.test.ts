import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { writeRedirects } from '../../src/redirects/write-redirects.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { openTab, origin, start } from './visit.ts';

test('the page of a former slug keeps the query and the fragment', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'new-1'));
  await writeFile(join(folder, 'new-1/index.html'), '<title>New</title>');
  const dir = pathToFileURL(`${folder}/`);
  await writeRedirects(new Map([['new-1', new Map([['old-1', 1]])]]), {
    ...{ dir, pages: [{ pathname: 'new-1/' }] },
    config: { base: '/', site: undefined, redirects: {}, root: dir },
  });
  const browser = await start('Chromium');
  onTestFinished(() => browser.close());
  const page = await openTab(browser, folder);
  await page.goto(`${origin}/old-1/?from=mail#prices`);
  await expect.poll(() => page.url()).toBe(`${origin}/new-1/?from=mail#prices`);
});
