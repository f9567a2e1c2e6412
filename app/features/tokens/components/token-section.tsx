import { useRef } from 'react'
import { fullDate, siteDay } from '~/lib/calendar.ts'
import { Form, Link } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import { useFocusFallback } from '~/ui/use-focus-kept.ts'
import type { TokenView } from '../tokens.view.ts'

interface TokenSectionProps {
	tokens: TokenView[]
	/** Whether it is on the page of the tokens, which stays open when one is revoked. */
	stays?: boolean
	children?: React.ReactNode
}

/** The member's access tokens, each with a button that revokes it, and further content below. */
export function TokenSection({ tokens, stays = false, children }: TokenSectionProps) {
	const heading = useRef<HTMLHeadingElement>(null)
	useFocusFallback(tokens.length, (count, before) => count < before, heading)
	return (
		<section className="mt-10" aria-labelledby="tokens">
			<SectionHeading id="tokens" title="Access tokens" place={heading}>
				<span>{tokens.length}</span>
			</SectionHeading>
			<p className="mt-2 max-w-read text-ink-2">
				A token lets your programs read and write as you through the{' '}
				<Link className="link" to="/api/docs">
					API
				</Link>
				. Changing your password ends all of them.
			</p>
			<ul className="mt-2">
				{tokens.map((token) => (
					<TokenItem key={token.id} token={token} stays={stays} />
				))}
			</ul>
			{children}
		</section>
	)
}

function TokenItem({ token, stays }: { token: TokenView; stays: boolean }) {
	return (
		<li className="flex items-center justify-between gap-4 border-b border-line py-3">
			<div className="min-w-0">
				<p className="font-semibold wrap-anywhere">
					{token.name}
					<code className="ml-2 font-mono text-xs font-normal text-ink-3">dq_…{token.lastFour}</code>
				</p>
				<p className="meta">
					{token.scopes.join(', ')}; {token.expired ? 'expired' : 'expires'} {fullDate(siteDay(token.expiresAt))};{' '}
					{token.lastUsedAt ? (
						<>
							last used <RelativeTime at={token.lastUsedAt} />
						</>
					) : (
						'never used'
					)}
				</p>
			</div>
			<Form method="post" action="/settings/tokens">
				<input type="hidden" name="token" value={token.id} />
				{stays && <input type="hidden" name="stays" value="1" />}
				<button
					className="btn btn-sm btn-outline"
					name="intent"
					value="revoke"
					type="submit"
					aria-label={`Revoke ${token.name}`}
				>
					Revoke
				</button>
			</Form>
		</li>
	)
}
