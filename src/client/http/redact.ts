const shownLength = 300;

/** Makes a text from outside fit for a message: no key in it, no control characters, not long. */
export type Redact = (text: string) => string;

export function createRedact(apiKey: string): Redact {
  const forms = [apiKey, encodeURIComponent(apiKey), btoa(apiKey)];
  return (text) => {
    const hidden = forms.reduce((shown, form) => shown.replaceAll(form, '[the API key]'), text);
    const plain = hidden.replace(/\p{Cc}+/gu, ' ').trim();
    return plain.length > shownLength ? `${plain.slice(0, shownLength)}…` : plain;
  };
}
