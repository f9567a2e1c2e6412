import { useEffect, useRef, useState } from 'react'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { FormError } from '~/ui/form-error.tsx'
import { busyButtonProps } from '~/ui/submit-button.tsx'
import { useFocusFallback } from '~/ui/use-focus-kept.ts'
import type { PushState } from '../push/browser.ts'

const words: Record<PushState, string> = {
	unsupported: 'This browser does not support notifications.',
	uninstalled:
		'On an iPhone or iPad, notifications need the site on the home screen: tap Share, then “Add to Home Screen”, and open it from there.',
	blocked: 'Notifications from this site are blocked. Allow them in the browser’s settings for this site first.',
	off: 'Notifications are off in this browser.',
	on: 'Notifications are on in this browser, even when the site is closed, as long as you are logged in.',
}

interface BrowserPushProps {
	/** The site's VAPID key, in base64url. */
	publicKey: string
	/** This member's browsers that already get pushes. */
	endpoints: string[]
}

/** Shows whether this browser gets pushes, and turns them on or off. Loaded once the page has rendered. */
export function BrowserPush({ publicKey, endpoints }: BrowserPushProps) {
	const [state, setState] = useState<PushState>()
	const [problem, setProblem] = useState('')
	const [busy, setBusy] = useState(false)
	const hydrated = useHydrated()
	const canTurn = state === 'on' || state === 'off'
	const known = state ? words[state] : !problem && 'Looking...'
	const heading = useRef<HTMLHeadingElement>(null)
	useFocusFallback(canTurn, (can, could) => could && !can, heading)

	// biome-ignore lint/correctness/useExhaustiveDependencies: only when the page loads; afterwards the state is known here
	useEffect(() => {
		browser()
			.then(async ({ findPushState }) => setState(await findPushState(publicKey, endpoints)))
			.catch(() =>
				setProblem('It is not known whether notifications are on in this browser. Reload the page to try again.'),
			)
	}, [])

	const turn = async (on: boolean) => {
		setBusy(true)
		setProblem('')
		try {
			const { turnOffPush, turnOnPush } = await browser()
			setState(await (on ? turnOnPush(publicKey) : turnOffPush()))
		} catch (error) {
			setProblem(error instanceof Error ? error.message : String(error))
		}
		setBusy(false)
	}

	return (
		<div className="mt-6 border-t border-line pt-4">
			<h3 ref={heading} tabIndex={-1} className="font-semibold">
				This browser
			</h3>
			<p className="mt-1 text-sm text-ink-2" aria-live="polite">
				{hydrated ? known : 'Notifications in the browser need JavaScript.'}
			</p>
			<div className="mt-3 empty:hidden">
				<FormError>{problem}</FormError>
			</div>
			{canTurn && (
				<button className="btn btn-outline mt-3" type="button" {...busyButtonProps(busy, () => turn(state === 'off'))}>
					{state === 'off' ? 'Turn on in this browser' : 'Turn off in this browser'}
				</button>
			)}
		</div>
	)
}

const browser = () => import('../push/browser.ts')
