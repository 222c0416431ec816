import { expect, it, vi } from 'vitest';
import { installCommand } from '../../../src/shared/install-command.ts';

it.each([
  ['npm/11.6.2 node/v24.21.0 linux x64 workspaces/false', 'npm install a b'],
  ['pnpm/10.18.0 npm/? node/v24.21.0 linux x64', 'pnpm add a b'],
  ['yarn/4.10.3 npm/? node/v24.21.0 linux x64', 'yarn add a b'],
  ['bun/1.3.0 npm/? node/v24.3.0 linux x64', 'bun add a b'],
  ['', 'npm install a b'],
])('the package manager %j installs with %j', (agent, command) => {
  vi.stubEnv('npm_config_user_agent', agent);
  expect(installCommand('a', 'b')).toBe(command);
  vi.unstubAllEnvs();
});
