import { RotateCw } from 'lucide'
import { useEffect, useState } from 'react'
import { type ErrorResponse, useLocation } from 'react-router'
import type { RootData } from '~/lib/root-data.ts'
import type { FormField } from '~/lib/unsent-form.ts'
import { useHydrated } from '~/lib/use-hydrated.ts'
import {
	type EndedSessionData,
	endedSessionData,
	type SiteFaultData,
	siteFaultData,
} from '~/platform/http/site-fault.ts'
import { Icon } from '~/ui/icon.tsx'
import { ErrorMessage, RefusalMessage } from './error-message.tsx'

/** Seconds between two attempts: growing, so that many waiting pages do not overload a recovering site. */
const RETRY_PAUSES_S = [2, 4, 8, 16, 30] as const
/** Milliseconds for a check whether the site answers again. */
const RETRY_TIMEOUT_MS = 5_000
/** Seconds after which the page reloads itself without scripts. */
const REFRESH_S = 5

const outageMessage = 'The site cannot reach its database right now. Nothing is lost; this page tries again by itself.'

/** Explains a request that could not be processed, for lack of a session or because of a site fault. */
export function RequestFailedPage({ error: { status, data } }: { error: ErrorResponse }) {
	const ended = endedSessionData(status, data)
	if (ended) return <EndedSessionPage ended={ended} />
	const fault = siteFaultData(status, data)
	return fault ? <SiteFaultPage status={status} fault={fault} /> : <RefusalMessage status={status} said="" />
}

/** A site fault. A page is retried automatically; for a form, what was typed is shown, to be sent again. */
function SiteFaultPage({ status, fault }: { status: number; fault: SiteFaultData }) {
	const { pathname, search } = useLocation()
	const title = status === 507 ? "The site's disk is full." : 'The site is not available right now.'
	const waits = fault.retries && fault.typed === null
	return (
		<ErrorMessage
			title={title}
			actions={
				fault.typed === null && (
					<a className="btn btn-primary" href={pathname + search}>
						<Icon of={RotateCw} /> Try again now
					</a>
				)
			}
			below={fault.typed && <Typed typed={fault.typed} address={pathname + search} />}
		>
			{waits ? outageMessage : fault.message}
			{waits && <Retrying />}
		</ErrorMessage>
	)
}

/** A form without a session, or one that needs a confirmed identity: what was typed is shown, to be sent again afterwards. */
function EndedSessionPage({ ended: { login, typed } }: { ended: EndedSessionData }) {
	const { pathname, search } = useLocation()
	const isEnded = login.startsWith('/login')
	const remedy = isEnded ? 'Log in in another tab' : 'Confirm it in another tab'
	return (
		<ErrorMessage
			title={isEnded ? 'You are no longer logged in.' : 'Confirm that it is you.'}
			actions={
				<a className="btn btn-primary" href={login} target="_blank" rel="noopener">
					{remedy}
				</a>
			}
			below={<Typed typed={typed} address={pathname + search} />}
		>
			What you typed is still here. {remedy}, then send it again from this one. Files and passwords have to be entered
			again.
		</ErrorMessage>
	)
}

/** Checks whether the site answers, and then loads the page. */
function Retrying() {
	const isHydrated = useHydrated()
	const secondsLeft = useRetries()
	const left = isHydrated ? secondsLeft : REFRESH_S
	return (
		<>
			<noscript>
				<meta httpEquiv="refresh" content={String(REFRESH_S)} />
			</noscript>
			<span className="mt-4 block text-base text-ink-3" aria-live="off">
				{left > 0 ? `Next try in ${left} s.` : 'Trying again…'}
			</span>
		</>
	)
}

/** @returns seconds until the next attempt; 0 during one */
function useRetries(): number {
	const [tries, setTries] = useState(0)
	const [left, setLeft] = useState<number>(RETRY_PAUSES_S[0])
	useEffect(() => {
		let isGone = false
		const pause = RETRY_PAUSES_S[Math.min(tries, RETRY_PAUSES_S.length - 1)] ?? 30
		setLeft(pause)
		const timer = setInterval(() => setLeft((seconds) => Math.max(0, seconds - 1)), 1_000)
		const end = setTimeout(async () => {
			clearInterval(timer)
			setLeft(0)
			const isBack = await answers()
			if (isGone) return
			if (isBack) window.location.reload()
			else setTries(tries + 1)
		}, pause * 1_000)
		return () => {
			isGone = true
			clearInterval(timer)
			clearTimeout(end)
		}
	}, [tries])
	return left
}

async function answers(): Promise<boolean> {
	try {
		return (await fetch('/readyz', { cache: 'no-store', signal: AbortSignal.timeout(RETRY_TIMEOUT_MS) })).ok
	} catch {
		return false
	}
}

/** Fields that a reader would miss; others are hidden. */
const shown: Record<string, string> = {
	title: 'Title',
	description: 'Description',
	body: 'Text',
	message: 'Message',
	reason: 'Reason',
	details: 'Details',
	about: 'About',
	name: 'Name',
	email: 'Email',
	tags: 'Tags',
	city: 'City',
	why: 'Why',
	text: 'Text',
	project_title: 'Title',
	project_description: 'Description',
	certificate_title: 'Title',
}

/** A form with what was typed, which sends it again. */
function Typed({ typed, address }: { typed: FormField[]; address: string }) {
	return (
		<form method="post" action={address} className="mt-8 grid gap-4">
			{typed.map(([name, value], index) => {
				// Fields never change places, and several may have one name.
				const key = `${index}`
				return shown[name] && value !== '' ? (
					<label key={key} className="grid gap-1.5">
						<span className="font-semibold">{shown[name]}</span>
						<textarea
							className="input"
							name={name}
							rows={Math.min(12, value.split('\n').length + 1)}
							defaultValue={value}
						/>
					</label>
				) : (
					<input key={key} type="hidden" name={name} value={value} />
				)
			})}
			<div>
				<button type="submit" className="btn btn-primary">
					Send again
				</button>
			</div>
		</form>
	)
}

const words = {
	full: "The site's disk is full: nothing can be saved until there is room. You can still read.",
	'nearly-full': "The site's disk is nearly full. Make room soon, or nothing can be saved.",
} as const

/** Warns moderators and admins on every page that the disk is running full. */
export function DiskBanner({ disk }: { disk: NonNullable<RootData['disk']> }) {
	const colours = disk === 'full' ? 'border-red-line bg-red-wash' : 'border-marigold-line bg-marigold-wash'
	return (
		<p role="status" className={`border-b px-4 py-2 text-center text-sm font-semibold text-ink ${colours}`}>
			{words[disk]}
		</p>
	)
}
