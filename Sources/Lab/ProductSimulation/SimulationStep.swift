internal import Octets

/// Something that happens in a simulation. A step has its own draw, so that a list without some of its steps gives the other
/// ones the same randomness.
package struct SimulationStep: Equatable, Sendable, CustomStringConvertible {
  /// What happens.
  package enum Kind: Equatable, Sendable {
    /// A payment.
    case pay
    /// A payment whose card leaves the field after some exchanges.
    case payTorn(exchanges: Int)
    /// A payment that the holder refuses.
    case payRefused
    /// A payment before which time passes after the holder was verified.
    case payLate(seconds: Int)
    /// A payment whose card is suspended by another process of the phone, after the holder was verified.
    case payWithdrawn
    /// The till sends its last request to the issuer again.
    case repeatRequest
    /// The process of the wallet ends and starts again.
    case restart
    /// The folder of the wallet is copied.
    case copyFolder
    /// The last copy is put in the place of the folder.
    case putCopyBack
    /// The issuer grants further keys of a card.
    case replenish
    /// The holder removes the lock of the device and sets another one.
    case replaceLock
    /// The holder suspends a card, or resumes it.
    case suspend(Bool)
    /// The user logs in; a new one enrols.
    case logIn
    /// The user enters a wrong PIN.
    case enterWrongPIN
    /// The user logs out.
    case logOut
    /// The wallet gets a card from the server.
    case addCard
    /// The wallet asks the server for the states of its cards and follows.
    case follow
    /// The user unlinks the phone.
    case unlink
    /// The operator stops a card, or resumes it.
    case stopCard(Bool)
    /// The operator deactivates the device of a phone, or activates it.
    case deactivate(Bool)
    /// The processes of the server end and start again.
    case restartServer
    /// The late messages arrive.
    case deliverLate
    /// Time passes everywhere.
    case passTime(seconds: Int)
    /// The date of a phone is set, so many seconds from the right one.
    case setDate(offBy: Int)
    /// The database of the server is copied.
    case backUp
    /// The last copy is put in the place of the database.
    case restoreBackup
    /// The issuer makes new keys. The former ones are accepted for some time.
    case rotateKeys(acceptedFor: Int)
    /// The server gets another configuration.
    case reload
  }

  /// What goes wrong during a step.
  package enum Disturbance: Equatable, Sendable, CustomStringConvertible {
    /// A message is lost, doubled, late or passed on, after some other messages.
    case message(MessageFault, after: Int)
    /// The process of the wallet is killed, or its disk is full, after some of its writes.
    case phone(ProcessFault, writes: Int)
    /// The same of a process of the server.
    case server(ProcessFault, writes: Int)

    /// The disturbance in words.
    package var description: String {
      switch self {
      case .message(let fault, let count): "message \(count) \(fault.rawValue)"
      case .phone(let fault, let writes): "phone \(fault.rawValue) at write \(writes)"
      case .server(let fault, let writes): "server \(fault.rawValue) at write \(writes)"
      }
    }
  }

  /// What happens to a process.
  package enum ProcessFault: String, Equatable, Sendable, CaseIterable {
    /// It is killed before a write.
    case killedBefore
    /// It is killed after a write.
    case killedAfter
    /// A write finds no space.
    case full
  }

  /// What happens.
  package let kind: Kind
  /// The phone.
  package let phone: Int
  /// The card of the phone, as a place in the list of its cards, from its end on again.
  package let card: Int
  /// The server.
  package let server: Int
  /// The process: of the phone, which has two on one folder, and of the server that answers.
  package let process: Int
  /// The till of a payment.
  package let till: Int
  /// The amount of a payment, in minor units.
  package let amount: UInt64
  /// What goes wrong; nil for nothing.
  package let disturbance: Disturbance?
  /// The seed of everything random in this step.
  package let draw: UInt64

  /// The step as a line.
  package var description: String {
    let place = "phone \(phone), card \(card), server \(server).\(process), till \(till), \(amount)"
    return "\(place): \(kind)" + (disturbance.map { ", \($0)" } ?? "")
  }
}

// The draw of steps.
extension SimulationStep {
  /// Draws the steps of a run.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - phones: The number of phones, 1 or more.
  ///   - tills: The number of tills, 1 or more.
  ///   - servers: The number of servers, 1 or more. The first one is drawn most of the time.
  package static func drawn(
    _ count: Int, seed: UInt64, phones: Int, tills: Int, servers: Int = Simulation.servers
  ) -> [SimulationStep] {
    var generator = SplitMix64(seed: seed)
    var steps: [SimulationStep] = []
    while steps.count < count {
      let isSequence = Int.random(in: 0..<12, using: &generator) == 0
      let parts = isSequence ? sequence(&generator) : [single(&generator)]
      let phone = Int.random(in: 0..<phones, using: &generator)
      let card = Int.random(in: 0..<4, using: &generator)
      let server = max(0, Int.random(in: 0..<servers + 2, using: &generator) - 2)
      let process = Int.random(in: 0..<2, using: &generator)
      let till = Int.random(in: 0..<tills, using: &generator)
      for part in parts {
        steps.append(
          SimulationStep(
            kind: part.kind, phone: phone, card: card, server: server, process: process, till: till,
            amount: UInt64.random(in: 1...5_000, using: &generator), disturbance: part.disturbance,
            draw: generator.next()))
      }
    }
    return Array(steps.prefix(count))
  }

  private typealias Part = (kind: Kind, disturbance: Disturbance?)

  /// Steps of one phone that only in this order reach what a rule is about. Drawn one by one they rarely follow each other.
  private static let sequences: [[Kind]] = [
    [.pay, .copyFolder, .pay, .putCopyBack, .pay],
    [.copyFolder, .suspend(true), .putCopyBack, .pay, .suspend(false)],
    [.addCard, .stopCard(true), .follow, .pay, .pay, .stopCard(false), .follow],
    [.logIn] + Array(repeating: .enterWrongPIN, count: 6) + [.logIn],
    [.logIn, .passTime(seconds: 1_300), .follow],
    [.logIn, .deactivate(true), .follow, .pay, .deactivate(false), .follow],
    [.logIn, .deactivate(true), .deactivate(false), .follow],
    [.logIn, .deactivate(true), .unlink, .logIn, .deactivate(false)],
  ]

  private static func sequence(_ generator: inout SplitMix64) -> [Part] {
    let place = Int.random(in: 0..<sequences.count + 2, using: &generator)
    let late = Disturbance.message(.late, after: Int.random(in: 0..<3, using: &generator))
    switch place - sequences.count {
    case 0: return [(.logIn, nil), (.follow, .message(.forged, after: 0)), (.pay, nil)]
    case 1: return [(.unlink, nil), (.logIn, late), (.logIn, nil), (.unlink, nil), (.deliverLate, nil)]
    default: return sequences[place].map { ($0, nil) }
    }
  }

  private static func single(_ generator: inout SplitMix64) -> Part {
    let kind = kind(&generator)
    return (kind, disturbance(of: kind, &generator))
  }

  /// The kinds, each as often as it is drawn beside the others.
  private static let kinds: [(kind: Kind, weight: Int)] = [
    (.pay, 30), (.payRefused, 4), (.repeatRequest, 8), (.restart, 8), (.copyFolder, 5), (.putCopyBack, 4),
    (.replenish, 8), (.replaceLock, 2), (.suspend(true), 3), (.suspend(false), 8), (.logIn, 8), (.enterWrongPIN, 5),
    (.logOut, 2), (.addCard, 10), (.follow, 8), (.unlink, 4), (.stopCard(true), 6), (.stopCard(false), 4),
    (.deactivate(true), 4), (.deactivate(false), 4), (.restartServer, 3), (.deliverLate, 8),
    (.payLate(seconds: 20), 2), (.payLate(seconds: 59), 2), (.payLate(seconds: 70), 2), (.payLate(seconds: 400), 1),
    (.payWithdrawn, 3), (.passTime(seconds: 90), 3), (.passTime(seconds: 500), 3), (.passTime(seconds: 1_300), 2),
    (.setDate(offBy: 0), 4), (.setDate(offBy: 200), 1), (.setDate(offBy: -200), 1), (.setDate(offBy: -7_200), 1),
    (.setDate(offBy: 90_000), 1), (.backUp, 2), (.restoreBackup, 2), (.rotateKeys(acceptedFor: 0), 1),
    (.rotateKeys(acceptedFor: 1_000), 1), (.reload, 2),
  ]

  private static func kind(_ generator: inout SplitMix64) -> Kind {
    let torn = 10
    var place = Int.random(in: 0..<kinds.reduce(torn) { $0 + $1.weight }, using: &generator)
    if place < torn { return .payTorn(exchanges: Int.random(in: 0...6, using: &generator)) }
    place -= torn
    for (kind, weight) in kinds {
      if place < weight { return kind }
      place -= weight
    }
    return .pay
  }

  private static func disturbance(
    of kind: Kind, _ generator: inout SplitMix64
  ) -> Disturbance? {
    let (chance, count) = (Int.random(in: 0..<10, using: &generator), Int.random(in: 0..<4, using: &generator))
    let fault = ProcessFault.allCases[Int.random(in: 0..<ProcessFault.allCases.count, using: &generator)]
    let message = MessageFault.allCases[Int.random(in: 0..<MessageFault.allCases.count, using: &generator)]
    switch (kind.place, chance) {
    case (.contact, 0..<3), (.till, 0), (.operator, 0): return .message(message, after: count)
    case (.contact, 3..<5), (.till, 1..<4): return .phone(fault, writes: count)
    case (.contact, 5), (.till, 4), (.operator, 1): return .server(fault, writes: count)
    default: return nil
    }
  }
}

extension SimulationStep.Kind {
  /// Where a step happens, and what can go wrong there.
  fileprivate enum Place {
    case till, contact, `operator`, elsewhere
  }

  fileprivate var place: Place {
    switch self {
    case .pay, .payTorn, .payRefused, .payLate, .payWithdrawn: .till
    case .replenish, .logIn, .enterWrongPIN, .logOut, .addCard, .follow, .unlink: .contact
    case .stopCard, .deactivate: .operator
    case .repeatRequest, .restart, .copyFolder, .putCopyBack, .replaceLock, .suspend, .restartServer, .deliverLate,
      .passTime, .setDate, .backUp, .restoreBackup, .rotateKeys, .reload:
      .elsewhere
    }
  }
}
