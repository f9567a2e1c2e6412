import type { Act, TargetState } from '../moderation.present.ts'

const buttons: Record<Act, { label: string; className: string }> = {
	approve: { label: 'Approve', className: 'btn btn-primary' },
	refuse: { label: 'Reject', className: 'btn btn-outline' },
	hide: { label: 'Hide', className: 'btn btn-outline' },
	restore: { label: 'Restore', className: 'btn btn-outline' },
	dismiss: { label: 'Dismiss', className: 'btn btn-outline' },
	lock: { label: 'Lock', className: 'btn btn-outline' },
	unlock: { label: 'Unlock', className: 'btn btn-outline' },
	merge: { label: 'Merge', className: 'btn btn-outline' },
	clean: { label: 'Remove', className: 'btn btn-danger' },
	suspend: { label: 'Suspend', className: 'btn btn-danger' },
	lift: { label: 'Lift the suspension', className: 'btn btn-outline' },
}

/** What the button of an act says. */
export function buttonOf(act: Act, state: TargetState): { label: string; className: string } {
	return act === 'restore' && state === 'merged' ? { ...buttons.restore, label: 'Undo the merge' } : buttons[act]
}
