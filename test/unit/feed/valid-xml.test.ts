import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { validXml } from '../../../src/feed/valid-xml.ts';

it('removes control characters, halves of surrogate pairs and code points that are not characters', () => {
  expect(validXml('a\0b\bc\u001fd\ud83ee\udd80f\ufffeg\uffffh')).toBe('abcdefgh');
});

it('keeps text in any script, and its blanks, such as the tabs of code', () => {
  const line = fc.oneof(
    fc.constantFrom(
      '\tif err != nil {\r\n\t\treturn err\n\t}',
      'a\u00a0\u2028b',
      '\u0085\u007f',
      '🦀 نجم 漢字 é\ufffd',
    ),
    fc.stringMatching(/^[\p{L}\p{N}\p{P}\p{S}\p{M}\p{Zs}\t\r\n]{0,20}$/u),
  );
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const text = lines.join('\n');
      expect(validXml(text)).toBe(text);
    }),
  );
});
