/** Lines for a shell. They scroll sideways, so the keyboard has to reach them. */
export function Shell({ label, children }: { label: string; children: string }) {
	return (
		<section className="code mt-4" aria-label={label}>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
			<pre tabIndex={0}>
				<code>{children}</code>
			</pre>
		</section>
	)
}
