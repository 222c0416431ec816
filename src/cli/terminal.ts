const { stdout, stderr } = process;

// A reader such as `head` closes the pipe when it has read enough.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

/** Prints a result. */
export function out(line: string): void {
  stdout.write(`${line}\n`);
}

/** Prints progress, a warning or an error. */
export function err(line: string): void {
  stderr.write(`${line}\n`);
}
