import { defineFeature } from '~/platform/feature.ts'
import { invitationKinds } from './invitations.server.ts'
import { outdatedKinds } from './outdated.server.ts'
import { remindAskers, reminderKinds } from './reminders.server.ts'
import { upkeepOperations, upkeepShapes } from './upkeep.api.server.ts'

export const upkeep = defineFeature({
	name: 'upkeep',
	api: { operations: upkeepOperations, schemas: upkeepShapes },
	notificationKinds: { ...outdatedKinds, ...invitationKinds, ...reminderKinds },
	schedules: [{ name: 'remind-askers', every: 'hour', run: remindAskers }],
})
