import { defineFeature } from '~/platform/feature.ts'
import { seedDemoContent } from './demo.server.ts'

export const importing = defineFeature({ name: 'import', seedDemo: seedDemoContent })
