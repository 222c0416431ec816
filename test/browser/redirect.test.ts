import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onTestFinished, test } from 'vitest';
import { writeRedirects } from '../../src/redirects/write-redirects.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { launch } from './chromium.ts';
import { origin, serve } from './visit.ts';

test('the page of a former slug keeps the query and the fragment', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'new-1'));
  await writeFile(join(folder, 'new-1/index.html'), '<title>New</title>');
  const dir = pathToFileURL(`${folder}/`);
  await writeRedirects(new Map([['new-1', new Map([['old-1', 1]])]]), {
    ...{ dir, pages: [{ pathname: 'new-1/' }] },
    config: { base: '/', site: undefined, redirects: {}, root: dir },
  });
  const browser = await launch();
  onTestFinished(() => browser.close());
  const context = await browser.newContext();
  await serve(context, folder);
  const page = await context.newPage();
  await page.goto(`${origin}/old-1/?from=mail#prices`);
  await page.waitForURL(`${origin}/new-1/?from=mail#prices`);
});
