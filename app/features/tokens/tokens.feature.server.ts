import { defineFeature } from '~/platform/feature.ts'

/** Access tokens of the API. They need nothing of the process; sessions end them. */
export const tokens = defineFeature({ name: 'tokens' })
