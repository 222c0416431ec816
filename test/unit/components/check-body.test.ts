import { expect, it } from 'vitest';
import { checkBody } from '../../../src/components/check-body.ts';

const article = { id: '1' };
const component = () => undefined;

it.each([
  [{}, 'needs an article', '<ArticleBody article={article} />'],
  [{ article: undefined }, 'needs an article', 'Pass an entry'],
  [
    { article, embeds: { 'https://youtube.com/': component } },
    'has "https://youtube.com/" in `embeds`',
    "embeds={{ 'youtube.com': … }}",
  ],
  [{ article, embeds: { 'you tube': component } }, 'has "you tube"', "such as `'youtube.com'`"],
  [{ article, components: { img: undefined } }, 'no component for "img"', 'Check its import'],
  [{ article, embeds: { 'a.example': null } }, 'for "a.example", but null', 'Check its import'],
  [{ article, components: { h2: 'Heading' } }, 'for "h2", but string', 'default export'],
])('says what is wrong with the properties of <ArticleBody>: %o', (props, message, hint) => {
  expect(() => checkBody(props)).toThrow(
    expect.objectContaining({
      code: 'invalid-options',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    }),
  );
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
