import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { filesOf, read, root } from '../helpers/readme.ts';
import { translations } from '../helpers/translations.ts';

const folder = 'templates/blog';
const services = globSync('services/*.ts', { cwd: `${root}/${folder}` }).filter(
  (path) => !path.endsWith('/own.ts'),
);

it.each(services)('the page about translations shows the file %s of the template', (path) => {
  expect(filesOf(translations)[path]).toBe(`// ${path}\n${read(`${folder}/${path}`)}`);
});

it('the template has five services', () => {
  expect(services).toHaveLength(5);
});
