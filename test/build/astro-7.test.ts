import { describeBuilds } from '../helpers/build-suite.ts';

describeBuilds(7);
