import stylesheet from '~/app.css?url'

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
