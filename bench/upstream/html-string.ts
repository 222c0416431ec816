// Shows what a class that extends `String` costs all other strings of a process.
import { fork } from 'node:child_process';

if (process.argv[2] === undefined) {
  for (const variant of ['without', 'with']) fork(new URL(import.meta.url), [variant]);
} else {
  if (process.argv[2] === 'with') {
    class HTMLString extends String {}
    new HTMLString('');
  }
  const text = 'Tides and moons. '.repeat(10_000);
  let sum = 0;
  const measure = () => {
    const start = performance.now();
    for (let index = 0; index < text.length; index++) sum += text.charCodeAt(index);
    return ((performance.now() - start) * 1e6) / text.length;
  };
  const times = Array.from({ length: 50 }, measure).sort((a, b) => a - b);
  console.log(`${process.argv[2]}: ${times[25]?.toFixed(1)} ns a call (${sum})`);
}
