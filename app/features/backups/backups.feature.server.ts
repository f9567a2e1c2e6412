import { defineFeature } from '~/platform/feature.ts'
import { backUpWhenDue, backupSection } from './backups.server.ts'

export const backups = defineFeature({
	name: 'backups',
	settingSections: [backupSection],
	schedules: [{ name: 'back-up', every: 'hour', run: () => backUpWhenDue() }],
	memberData: { backups: 'when the whole site was backed up, and where to' },
})
