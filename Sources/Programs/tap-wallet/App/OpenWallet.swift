import AccessMessages
import Foundation
import ProgramSupport
import WalletAccess

/// The wallet as an application: performs what `WalletApp` returns, and reports what happens to it.
///
/// One question or one command is under way at a time, in a task of its own, so that the end of the session, a signal and
/// the background are noticed meanwhile.
struct OpenWallet {
  /// What happens outside of `WalletApp`.
  private enum Input: Sendable {
    /// The user entered a line; nil at the end of the input. The number is that of the task that read it.
    case line(String?, Int)
    /// The command of this task ended.
    case ended(Int)
    case signal(Int32)
    case tick
  }

  private let run: WalletRun
  private let wallet: WalletAccess
  private let inputs: AsyncStream<Input>
  private let sender: AsyncStream<Input>.Continuation
  private let entry: CommandEntry?

  /// How often the time of inactivity is examined.
  private static let interval = Duration.milliseconds(250)

  init(_ run: WalletRun) throws {
    self.run = run
    wallet = try run.walletOnAnyDevice()
    (inputs, sender) = AsyncStream.makeStream()
    entry = CommandEntry(run.output.format)
  }

  /// Runs the application until the user closes it.
  ///
  /// - Throws: `CommandFailure.interrupted` after a signal that ends programs.
  func go() async throws {
    let interrupt = Interrupt(repeats: true) { interrupt, number in
      if number == SIGINT { sender.yield(.signal(number)) } else { interrupt.passOn(number) }
    }
    defer { interrupt.end() }
    let clock = Task {
      while !Task.isCancelled {
        try? await Task.sleep(for: Self.interval)
        sender.yield(.tick)
      }
    }
    defer { clock.cancel() }
    let background = Background { sender.yield(.signal($0)) }
    defer { background.end() }
    run.prompter.onAnswer { _ = try? await AuthenticationCoordinator(wallet).recordActivity() }
    defer { run.prompter.onAnswer(nil) }
    var work = Work()
    try await follow(&work)
    await work.stop()
  }

  /// The task under way, and what it is for.
  private struct Work {
    var number = 0
    var task: Task<Void, Never>?
    var command: (any WalletCommand)?
    /// What was shown last.
    var view: WalletView?
    /// Whether a command is under way, and not a question.
    var isCommand = false

    mutating func stop() async {
      number += 1
      task?.cancel()
      await task?.value
      task = nil
    }
  }

  private func follow(_ work: inout Work) async throws {
    var app = WalletApp()
    var events: [WalletApp.Event] = [.opened]
    var iterator = inputs.makeAsyncIterator()
    while true {
      while !events.isEmpty {
        for effect in app.receive(events.removeFirst()) {
          if effect == .close { return }
          if let event = try await perform(effect, &work) { events.append(event) }
        }
      }
      guard !Task.isCancelled, let input = await iterator.next() else {
        await work.stop()
        throw CommandFailure.interrupted
      }
      if let event = await event(of: input, &work) { events.append(event) }
    }
  }
}

// What happens.
extension OpenWallet {
  private func event(of input: Input, _ work: inout Work) async -> WalletApp.Event? {
    switch input {
    case .line(let line, work.number): return choice(line, &work)
    case .ended(work.number): return .done
    case .line, .ended: return nil
    case .signal(SIGTSTP): return .background
    case .signal(SIGCONT): return .foreground
    case .signal:
      // Ctrl-C: the command ends with its own report, and a line is discarded.
      if work.isCommand { work.task?.cancel() } else { await reask(&work) }
      return nil
    case .tick: return await isExpired() ? .expired : nil
    }
  }

  private func isExpired() async -> Bool {
    await (try? AuthenticationCoordinator(wallet).logOutIfInactive()) != nil
  }

  private func choice(_ line: String?, _ work: inout Work) -> WalletApp.Event? {
    guard let line else { return .closed }
    var words = OpenLine.words(line)
    if words.isEmpty { words = [work.view?.offered?.rawValue].compactMap(\.self) }
    if ["quit", "exit", "q"].contains(words.first) { return .closed }
    guard !words.isEmpty else {
      ask(&work)
      return nil
    }
    do {
      let command = try OpenLine.command(words, state: run.options.state)
      work.command = command
      return .chosen(command.userAction)
    } catch {
      run.output.notDone("action", .invalidArgument(OpenLine.message(error)))
      ask(&work)
      return nil
    }
  }
}

// What follows.
extension OpenWallet {
  private func perform(_ effect: WalletApp.Effect, _ work: inout Work) async throws -> WalletApp.Event? {
    switch effect {
    case .check: return await view()
    case .show(let view):
      show(view, behind: work.view)
      work.view = view
    case .showContents: await run.showContents()
    case .choose: ask(&work)
    case .perform: act(&work)
    case .refuse(let action):
      let failure = CommandFailure(
        "NotAllowed", "\(action.rawValue) is not possible now: the screen lists the commands", .notRight)
      run.output.notDone(action.rawValue, failure)
    case .stop: await work.stop()
    case .announceExpiry:
      run.output.event(
        "expired", [], text: "You were inactive for too long: the session has ended. Log in again.")
    case .suspend: Background.stopProcess()
    case .close: break
    }
    return nil
  }

  /// What is shown now. A device that has lost its keys has no wallet any more.
  private func view() async -> WalletApp.Event {
    for attempt in 1...2 {
      do {
        return .viewed(try await run.view(of: wallet, announcesExpiry: true))
      } catch {
        run.output.notDone("status", CommandFailure(any: error))
        guard attempt == 1, case WalletAccessError.keysLost = error else { break }
      }
    }
    return .failed
  }

  /// Shows a screen. People get the list of the commands only where it differs from that of the screen before.
  private func show(_ view: WalletView, behind former: WalletView?) {
    var lines = ["\(view.screen.words.title): \(view.screen.words.sentence)"]
    if let latest = view.latest { lines.append("Version \(latest.latest) is at \(latest.url)") }
    if view.allowed.ordered != former?.allowed.ordered {
      lines += view.allowed.ordered.map { action in
        let (command, text) = action.help
        return "  " + command.padding(toLength: 32, withPad: " ", startingAt: 0) + text
      }
    }
    run.output.event("screen", view.members, text: lines.joined(separator: "\n"))
  }

  private func ask(_ work: inout Work) {
    work.number += 1
    work.isCommand = false
    let number = work.number
    work.task = Task {
      let line = try? await run.prompter.ask(Prompt(name: "action", text: "wallet", acceptsEmpty: true), on: entry)
      _ = run.prompter.takeUnansweredName()
      sender.yield(.line(line, number))
    }
  }

  private func reask(_ work: inout Work) async {
    await work.stop()
    TerminalInput.write(entry == nil ? "\n" : "^C\n")
    ask(&work)
  }

  private func act(_ work: inout Work) {
    guard let command = work.command else { preconditionFailure("a command was chosen before it is performed") }
    work.number += 1
    work.isCommand = true
    let number = work.number
    work.task = Task {
      if let failure = await run.attempt(command.operation, { try await command.perform($0) }) {
        run.output.notDone(command.operation, failure)
      }
      sender.yield(.ended(number))
    }
  }
}
