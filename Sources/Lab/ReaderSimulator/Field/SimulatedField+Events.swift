internal import ISO7816
internal import Octets

/// The events of the field and their effects.
extension SimulatedField {
  mutating func take(_ event: FieldEventQueue.Event) {
    switch event {
    case .opening(let chip): ports[chip].discardPartialFrame()
    case .restart(let chip): restart(chip)
    case .octets(let octets, let chip): receive(octets, chip)
    case .command(let content, let chip): run(content, chip)
    case .abort(let chip): abort(chip)
    case .toReader(let frame, let chip, let sent):
      guard sent == epoch else { return }
      perform(chips[chip].receive(frame), of: chip)
    case .toCard(let frame, let reader, let sent):
      guard sent == epoch else { return }
      deliver(frame, from: reader)
    case .answer(let response, let number):
      guard number == commandNumber else { return }
      inform { $0.answer(response) }
    case .coupling(let isCoupled):
      self.isCoupled = isCoupled
      refresh()
    case .recovery:
      hasFailed = false
      refresh()
    }
  }

  // MARK: Hosts

  private mutating func restart(_ chip: Int) {
    var fresh = PN532(chips[chip].model)
    fresh.hasSecondCard = chips[chip].hasSecondCard
    (chips[chip], ports[chip]) = (fresh, HSUPort(isAwake: links[chip] == .packets))
    (deadlines[chip], alarms[chip], carriers[chip]) = (nil, nil, false)
    refresh()
  }

  private mutating func receive(_ octets: [UInt8], _ chip: Int) {
    for step in ports[chip].receive(octets) {
      switch step {
      case .send(let octets): outputs.append(.octets(octets, chip: chip))
      case .command(let content): run(content, chip)
      case .abort: abort(chip)
      }
    }
  }

  private mutating func run(_ content: [UInt8], _ chip: Int) {
    deadlines[chip] = nil
    guard content.count <= HSUFrame.maximumCount else { return perform([.syntaxError], of: chip) }
    perform(chips[chip].run(content), of: chip)
  }

  private mutating func abort(_ chip: Int) {
    deadlines[chip] = nil
    perform(chips[chip].abort(), of: chip)
  }

  mutating func perform(_ effects: [PN532Effect], of chip: Int) {
    for effect in effects {
      switch effect {
      case .reply(let content): output(.information(content), chip)
      case .syntaxError: output(.error, chip)
      case .transmit(let frame, let wait): transmit(frame, chip, wait)
      case .respond(let frame): respond(frame)
      case .carrier(let isOn):
        carriers[chip] = isOn
        refresh()
      case .alarm(let time): alarms[chip] = time.map { present + timing.waiting($0) }
      case .sleep: if links[chip] == .serial { ports[chip].sleep() }
      }
    }
  }

  private mutating func output(_ frame: HSUFrame, _ chip: Int) {
    switch (links[chip], frame) {
    case (.serial, _), (.packets, _): outputs.append(.octets(ports[chip].send(frame), chip: chip))
    case (.direct, .information(let content)): outputs.append(.octets(content, chip: chip))
    case (.direct, _): outputs.append(.octets([0x7F], chip: chip))
    }
  }

  // MARK: Frames

  private mutating func transmit(_ frame: AirFrame, _ chip: Int, _ wait: Duration) {
    let end = present + timing.airTime(of: frame)
    deadlines[chip] = end + timing.waiting(wait)
    guard hasReceiver(besides: chip) else { return }
    send(frame, until: end, isActivation: !isProtocolRunning) { .toCard($0, from: chip, epoch: $1) }
  }

  /// Sends the response of a card to the chip whose field powers it.
  mutating func respond(_ frame: AirFrame) {
    guard let chip = carriers.firstIndex(of: true) else { return }
    let start = present
    let end = start + timing.airTime(of: frame)
    let isAnswerToSelect = !hasProtocolBegun
    guard let delay = send(frame, until: end, isActivation: isAnswerToSelect, { .toReader($0, chip: chip, epoch: $1) })
    else { return }
    // A response that began in time is received to its end.
    if let deadline = deadlines[chip], start + delay <= deadline { deadlines[chip] = nil }
  }

  /// Sends a frame, with the fault that the plan has for it.
  ///
  /// - Returns: The delay of the frame, or nil when it never arrives.
  @discardableResult
  private mutating func send(
    _ frame: AirFrame, until end: Instant, isActivation: Bool, _ event: (AirFrame, Int) -> FieldEventQueue.Event
  ) -> Duration? {
    // The field carries one frame at a time: a delayed frame is lost when the next one is sent.
    epoch += 1
    switch faults.next(isActivation: isActivation) {
    case nil: events.add(event(frame, epoch), at: end)
    case .corrupt: events.add(event(faults.corrupted(frame), epoch), at: end)
    case .delay(let time):
      events.add(event(frame, epoch), at: end + time)
      return time
    case .drop: return nil
    case .tear(let absence):
      isCoupled = false
      if let absence { events.add(.coupling(true), at: end + absence) }
      refresh()
      return nil
    case .fieldOff(let time):
      hasFailed = true
      events.add(.recovery, at: end + time)
      refresh()
      return nil
    }
    return .zero
  }

  private func hasReceiver(besides reader: Int) -> Bool {
    guard isCoupled, !hasFailed else { return false }
    return cards.contains(where: \.isPowered) || chips.indices.contains { $0 != reader && chips[$0].isTarget }
  }

  private var allCards: [ProximityCard] { cards + chips.compactMap { $0.target?.card } }

  private var isProtocolRunning: Bool { allCards.contains { $0.runsProtocol } }

  /// Whether a block has followed the ATS.
  private var hasProtocolBegun: Bool { allCards.contains { $0.hasProtocolBegun } }

  private mutating func deliver(_ frame: AirFrame, from reader: Int) {
    inform { $0.receive(frame) }
    for chip in chips.indices where chip != reader { perform(chips[chip].receiveAsCard(frame), of: chip) }
  }

  // MARK: The cards of the layout

  /// Lets each card of the layout take an event, of which at most one answers.
  mutating func inform(_ event: (inout ProximityCard) -> ProximityCard.Step) {
    for index in cards.indices {
      let step = event(&cards[index])
      if step != .silent { follow(step) }
    }
    let computing = cards.first(where: \.isComputing)
    cardAlarm = computing.map { present + timing.waiting($0.extensionTime) }
  }

  private mutating func follow(_ step: ProximityCard.Step) {
    switch step {
    case .silent, .unframed: break
    case .send(let frame), .activated(_, let frame): respond(frame)
    case .command(let octets):
      commandNumber += 1
      outputs.append(.command(octets, at: present))
    case .halted(let frame):
      outputs.append(.field(.deselected, at: present))
      if let frame { respond(frame) }
    }
  }

  // MARK: Power

  /// Computes which chips and cards have power, and reports each change.
  mutating func refresh() {
    epoch += 1
    let powering = chips.indices.filter { carriers[$0] && isCoupled && !hasFailed }
    for chip in chips.indices {
      let isThere = powering.contains { $0 != chip }
      if isThere != chips[chip].seesField { perform(chips[chip].fieldChanged(isThere: isThere), of: chip) }
    }
    guard let first = cards.first, first.isPowered == powering.isEmpty else { return }
    cardAlarm = nil
    for index in cards.indices { if powering.isEmpty { cards[index].unpower() } else { cards[index].power() } }
    outputs.append(.field(powering.isEmpty ? .lost : .powered, at: present))
  }
}
