import { defineFeature } from '~/platform/feature.ts'
import { remindOfCampus } from './campus.server.ts'

export const campus = defineFeature({
	name: 'campus',
	schedules: [{ name: 'campus-reminders', every: 'hour', run: remindOfCampus }],
})
