import { expect, it } from 'vitest';
import { checkBody } from '../../../src/components/check-body.ts';

const article = { id: '1' };
const component = () => undefined;

it.each([
  [{}, '`article`: expected an entry.'],
  [{ article: undefined }, '`article`: expected an entry.'],
  [
    { article, embeds: { 'https://youtube.com/': component } },
    '`embeds.https://youtube.com/`: expected components by the host',
  ],
  [{ article, embeds: { 'you tube': component } }, 'you tube`: expected components by the host'],
  [{ article, components: { img: undefined } }, '`components.img`: expected a component'],
  [{ article, embeds: { 'a.example': null } }, '`embeds.a.example`: expected a component'],
  [{ article, components: { h2: 'Heading' } }, '`components.h2`: expected a component'],
])('says what is wrong with the properties of <ArticleBody>: %o', (props, message) => {
  expect(() => checkBody(props)).toThrow(message);
});

it('accepts articles with components and hosts, with a port, too', () => {
  const embeds = {
    'youtube.com': component,
    'localhost:3000': component,
    'bücher.example': component,
  };
  const ascii = Object.fromEntries(
    Object.entries(embeds).map(([host, each]) => [new URL(`https://${host}`).host, each]),
  );
  expect(() => checkBody({ article, embeds: ascii, components: { img: component } })).not.toThrow();
});
