import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { mocks } from '../helpers/mock-services.ts';
import { filesOf, read, root } from '../helpers/readme.ts';
import { translations } from '../helpers/translations.ts';

const folder = 'templates/blog';
const services = globSync('services/*.ts', { cwd: `${root}/${folder}` }).filter(
  (path) => !path.endsWith('/own.ts'),
);

it.each(services)('the page about translations shows the file %s of the template', (path) => {
  expect(filesOf(translations)[path]).toBe(`// ${path}\n${read(`${folder}/${path}`)}`);
});

it('each service of the template has a mock, a real server, and its recorded responses', () => {
  const names = services.map((path) => basename(path, '.ts')).toSorted();
  expect(names).toHaveLength(5);
  expect(Object.keys(mocks)).toEqual(expect.arrayContaining(names));
  for (const folder of ['test/services', 'fixtures/recordings']) {
    const files = globSync('*', { cwd: `${root}/${folder}` }).map((path) => path.split('.')[0]);
    expect(files, folder).toEqual(expect.arrayContaining(names));
  }
});
