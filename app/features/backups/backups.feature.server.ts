import { defineFeature } from '~/platform/feature.ts'
import { startArchiving } from './archiving.server.ts'
import { backUpWhenDue, backupSection, getBackupStatus, runRequestedBackup } from './backups.server.ts'

export const backups = defineFeature({
	name: 'backups',
	settingSections: [backupSection],
	jobs: { 'back-up-now': runRequestedBackup },
	schedules: [{ name: 'back-up', every: 'hour', run: () => backUpWhenDue(), triesOnce: true }],
	start: startArchiving,
	setupSteps: [{ key: 'backup', title: 'Backup', to: '/admin/settings/backups', look: getBackupStatus }],
	memberData: { backups: 'when the whole site was backed up, and where to' },
})
