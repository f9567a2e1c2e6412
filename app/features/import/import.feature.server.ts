import { defineFeature } from '~/platform/feature.ts'

export const importing = defineFeature({ name: 'import' })
