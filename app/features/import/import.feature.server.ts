import { defineFeature } from '~/platform/feature.ts'
import { seedDemo } from './demo.server.ts'

export const importing = defineFeature({ name: 'import', seedDemo })
