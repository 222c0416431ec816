import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { readEnvironment } from '../../../src/options/environment.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

afterEach(() => void vi.unstubAllEnvs());

test('has the variables of the files of its mode, and names them', async () => {
  const folder = await temporaryFolder();
  const files = {
    '.env': "# A comment\nexport T_ONE='one # two'\nT_TWO=2\n",
    '.env.local': 'T_TWO=local\nT_OVER=file\n',
    '.env.staging': 'T_THREE=3\n',
    '.env.staging.local': 'T_FOUR="$T_ONE"\n',
    '.env.production': 'T_OTHER=no\n',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  vi.stubEnv('T_OVER', 'process');
  vi.stubEnv('T_OF_PROCESS', 'process');
  const { mode, variables, namesInFiles } = readEnvironment({ folder, mode: 'staging' });
  expect(mode).toBe('staging');
  expect(variables).toMatchObject({
    ...{ T_ONE: 'one # two', T_TWO: 'local', T_THREE: '3', T_FOUR: 'one # two' },
    ...{ T_OVER: 'process', T_OF_PROCESS: 'process' },
  });
  expect(variables).not.toHaveProperty('T_OTHER');
  const names = ['T_FOUR', 'T_ONE', 'T_OVER', 'T_THREE', 'T_TWO'];
  expect([...new Set(namesInFiles)].sort()).toEqual(names);
});

test('has the variables of the process alone in a folder without files', async () => {
  vi.stubEnv('T_OF_PROCESS', 'process');
  const folder = await temporaryFolder();
  const { variables, namesInFiles } = readEnvironment({ folder, mode: 'production' });
  expect(variables.T_OF_PROCESS).toBe('process');
  expect(namesInFiles).toEqual([]);
});

test('reads ARTICLES_ALLOW_REMOVAL from the process, and never from a file', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, '.env'), 'ARTICLES_ALLOW_REMOVAL=1\nARTICLES_OFFLINE=1\n');
  const read = () => readEnvironment({ folder, mode: 'production' }).variables;
  expect(read()).toMatchObject({ ARTICLES_OFFLINE: '1', ARTICLES_ALLOW_REMOVAL: undefined });
  vi.stubEnv('ARTICLES_ALLOW_REMOVAL', '1');
  expect(read().ARTICLES_ALLOW_REMOVAL).toBe('1');
});
