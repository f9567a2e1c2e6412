import { defineFeature } from '~/platform/feature.ts'
import { seedDemoContent } from './demo.server.ts'

export const demo = defineFeature({ name: 'demo', seedDemo: seedDemoContent })
