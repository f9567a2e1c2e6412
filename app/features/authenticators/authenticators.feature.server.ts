import { defineFeature } from '~/platform/feature.ts'

/** How members prove who they are besides the login: “Confirm it is you”. */
export const authenticators = defineFeature({ name: 'authenticators' })
