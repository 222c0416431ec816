/**
 * Removes characters that XML cannot contain (XML 1.0, production `Char`): feed readers refuse a whole feed because of
 * one.
 */
export function validXml(text: string): string {
  return text.replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '');
}
