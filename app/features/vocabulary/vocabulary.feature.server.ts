import { defineFeature } from '~/platform/feature.ts'

export const vocabulary = defineFeature({ name: 'vocabulary' })
