import { useSyncExternalStore } from 'react'

/** Whether React has taken over: controls that need JavaScript are hidden before that. */
export function useHydrated(): boolean {
	return useSyncExternalStore(
		noSubscription,
		() => true,
		() => false,
	)
}

/** Subscribes to a value that never changes. */
export const noSubscription = () => () => {}
