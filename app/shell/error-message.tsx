import type { ReactNode } from 'react'
import { useRootData } from '~/lib/root-data.ts'

interface MessageProps {
	title: string
	actions: ReactNode
	/** Content below the message. */
	below?: ReactNode
	children: ReactNode
}

/** The message of an error page. */
export function ErrorMessage({ title, actions, below, children }: MessageProps) {
	const { siteName } = useRootData()
	return (
		<div className="max-w-[44rem] py-12 md:py-20">
			<title>{`${title} · ${siteName}`}</title>
			<h1 className="text-3xl font-bold text-balance">{title}</h1>
			<p className="mt-4 max-w-[52ch] text-lg text-pretty text-ink-2">{children}</p>
			<p className="mt-6 flex flex-wrap gap-2">{actions}</p>
			{below}
		</div>
	)
}

const titles: Record<number, string> = {
	403: 'You cannot do that.',
	409: 'Something has changed.',
	413: 'That is too large.',
	422: 'That did not work.',
	429: 'Too many attempts.',
}

/** A request that a rule refused. */
export function RefusalMessage({ status, said }: { status: number; said: string }) {
	return (
		<ErrorMessage title={titles[status] ?? 'That did not work.'} actions={<HomeLink />}>
			{said || 'The request was refused.'}
		</ErrorMessage>
	)
}

/** A plain link, which works where scripts have failed. */
export function HomeLink() {
	return (
		<a className="btn btn-outline" href="/">
			Go to Home
		</a>
	)
}
