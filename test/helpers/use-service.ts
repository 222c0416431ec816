import { afterAll, onTestFinished } from 'vitest';
import { type FixtureService, type ServiceOptions, startService } from '../../fixtures/service.ts';

/** Starts a service for the tests of a file, which stops after them. */
export async function useService(options?: ServiceOptions): Promise<FixtureService> {
  const service = await startService(options);
  afterAll(() => service.close());
  return service;
}

/** Starts a service that stops after the test. */
export async function temporaryService(options?: ServiceOptions): Promise<FixtureService> {
  const service = await startService(options);
  onTestFinished(() => service.close());
  return service;
}
