import { expect, it } from 'vitest';
import { createRedact } from '../../../src/http/api-key.ts';
import { quoteBody } from '../../../src/http/quote-body.ts';

const key = 'key-0123456789';
const quoted = (body: string) => quoteBody(new TextEncoder().encode(body), createRedact(key));

it.each([
  ['{"detail":"No."}', 'No'],
  ['{"message":"No ..."}', 'No '],
  ['{"error":{"message":"a. b.c"}}', 'a. b.c'],
  ['{"errors":[{"detail":"first"},{"detail":"second"}]}', 'first'],
  ['{"detail":" ","error":"yes"}', 'yes'],
  ['{"errors":["d"],"error":"c","message":"b","detail":"a"}', 'a'],
  ['{"errors":["d"],"error":"c","message":"b"}', 'b'],
  ['{"errors":["d"],"error":"c"}', 'c'],
  [`{"detail":"the key ${key} is unknown"}`, 'the key [the API key] is unknown'],
  [`{"detail":"${'x'.repeat(301)}"}`, `${'x'.repeat(300)}…`],
])('the reason of %s is %j', (body, reason) => {
  expect(quoted(body)).toEqual({ isJson: true, text: `: ${reason}` });
});

it.each([
  ['<title>Log in</title>', '; its title is "Log in"'],
  ['<html>\n<TITLE lang="en">\n  Log  in\n</TITLE>', '; its title is "Log in"'],
  [`<title ${'a'.repeat(199)}>Log in</title>`, '; its title is "Log in"'],
  [`<title ${'a'.repeat(200)}>Log in</title>`, `; it begins "<title ${'a'.repeat(93)}…"`],
  ['<title></title> no', '; it begins "<title></title> no"'],
  [` no\n\n${key} `, '; it begins "no [the API key]"'],
  ['["no"]', '; it begins "["no"]"'],
  [' ', ''],
  ['', ''],
])('of the body %j is quoted %j', (body, text) => {
  expect(quoted(body)).toEqual({ isJson: false, text });
});

it('quotes the beginning of an object without a reason', () => {
  expect(quoted('{"a":1}')).toEqual({ isJson: true, text: '; it begins "{"a":1}"' });
  const nested = `${'{"error":'.repeat(6)}"deep"${'}'.repeat(6)}`;
  expect(quoted(nested).text).toBe(`; it begins "${nested}"`);
});
