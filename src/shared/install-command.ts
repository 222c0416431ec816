/** Returns the command that installs packages with the package manager that runs this process, or else with npm. */
export function installCommand(...packages: string[]): string {
  // Also in runtimes without a process.
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const agent = process?.env?.npm_config_user_agent ?? '';
  const [manager] = /^(?:pnpm|yarn|bun)\b/.exec(agent) ?? [];
  return `${manager ? `${manager} add` : 'npm install'} ${packages.join(' ')}`;
}
