/**
 * A progress bar for a terminal; otherwise a line every ten percent.
 * @param heading what is being done
 */
export function progressLine(heading: string): (done: number, total: number) => void {
	const out = process.stdout
	let reported = -1
	return (done, total) => {
		const percent = total === 0 ? 100 : Math.floor((100 * done) / total)
		const step = out.isTTY ? percent : percent - (percent % 10)
		if (step === reported) return
		reported = step
		if (!out.isTTY) out.write(`${heading}: ${percent}%\n`)
		else
			out.write(
				`\r${heading} [${'█'.repeat(percent / 5)}${'░'.repeat(20 - Math.floor(percent / 5))}] ${percent}%${percent === 100 ? '\n' : ''}`,
			)
	}
}
