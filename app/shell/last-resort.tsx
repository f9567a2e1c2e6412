import { Component, type ReactNode } from 'react'
import stylesheet from '~/app.css?url'

interface LastResortProps {
	/** Whether the document shows the error page. Any other error belongs to the error page first. */
	isErrorPage: boolean
	children: ReactNode
}

interface LastResortState {
	error: unknown
	hasError: boolean
	wasErrorPage: boolean
}

/**
 * Stands around the whole document. React Router answers an error with the error page, in the same frame; when the frame itself
 * cannot be drawn, that fails too, and this shows {@link LastResortPage}. Every other error is passed on to React Router.
 */
export class LastResort extends Component<LastResortProps, LastResortState> {
	override state = { error: null, hasError: false, wasErrorPage: false }

	static getDerivedStateFromError(error: unknown) {
		return { error, hasError: true }
	}

	/** A reader who goes back from the error page gets another page, which may well be drawn. */
	static getDerivedStateFromProps({ isErrorPage }: LastResortProps, state: LastResortState) {
		return { wasErrorPage: isErrorPage, hasError: state.hasError && (isErrorPage || !state.wasErrorPage) }
	}

	override render() {
		if (!this.state.hasError) return this.props.children
		if (!this.props.isErrorPage) throw this.state.error
		return <LastResortPage address={window.location.pathname + window.location.search} />
	}
}

/**
 * A whole document that asks nothing of the site: no data, no script, no frame.
 * @param address path and query that Reload asks for
 */
export function LastResortPage({ address }: { address: string }) {
	return (
		<html lang="en">
			<head>
				<meta charSet="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<meta name="color-scheme" content="light dark" />
				<title>This page cannot be shown</title>
				<link rel="stylesheet" href={stylesheet} />
			</head>
			<body>
				<main className="mx-auto w-full max-w-page px-4 py-12 sm:px-6">
					<h1 className="text-3xl font-bold">This page cannot be shown.</h1>
					<p className="mt-4 text-lg text-ink-2">Something went wrong. What you had already saved is safe.</p>
					<p className="mt-6 flex flex-wrap gap-2">
						<a className="btn btn-primary" href={address}>
							Reload the page
						</a>
						<a className="btn btn-outline" href="/">
							Go to Home
						</a>
					</p>
				</main>
			</body>
		</html>
	)
}
