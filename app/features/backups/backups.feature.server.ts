import { defineFeature } from '~/platform/feature.ts'
import { backUpWhenDue, backupSection, lookAtBackups } from './backups.server.ts'

export const backups = defineFeature({
	name: 'backups',
	settingSections: [backupSection],
	schedules: [{ name: 'back-up', every: 'hour', run: () => backUpWhenDue() }],
	setupSteps: [{ key: 'backup', title: 'Backup', to: '/admin/settings/backups', look: lookAtBackups }],
	memberData: { backups: 'when the whole site was backed up, and where to' },
})
