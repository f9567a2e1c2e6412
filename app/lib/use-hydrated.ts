import { useSyncExternalStore } from 'react'

/** Whether the browser has taken the page over: before that, controls that need JavaScript are not shown. */
export function useHydrated(): boolean {
	return useSyncExternalStore(
		never,
		() => true,
		() => false,
	)
}

/** Subscribes to what never tells of a change. */
export const never = () => () => {}
