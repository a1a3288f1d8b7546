/// The state of the exchange with a terminal.
enum CardState: Sendable {
  /// No application is selected.
  case idle
  /// An application is selected.
  case selected(Exchange)
  /// GET PROCESSING OPTIONS was answered.
  case initiated(Exchange)
  /// The command that asks for a cryptogram or a code was answered.
  case answered(Exchange)

  /// The exchange with one application.
  struct Exchange: Sendable {
    // One octet, since every command reads it.
    private let position: UInt8
    /// Whether the deadline of the arming was met in this exchange. An exchange that began in time may finish.
    var isInTime = false
    /// Whether a value of GET PROCESSING OPTIONS (tag 9F7E) showed that the terminal supports mobile devices.
    var isMobileSupported = false

    init(application: Int) { position = UInt8(application) }

    /// The position of the application in the image.
    var application: Int { Int(position) }
  }

  init(_ stage: CardStage, _ exchange: Exchange) {
    switch stage {
    case .selected: self = .selected(exchange)
    case .initiated: self = .initiated(exchange)
    case .answered: self = .answered(exchange)
    }
  }

  /// The position of the selected application, or nil.
  var application: Int? {
    switch self {
    case .idle: nil
    case .selected(let exchange), .initiated(let exchange), .answered(let exchange): exchange.application
    }
  }

  /// The position of the selected application, plus one; 0 without one.
  var tableIndex: Int { (application ?? -1) &+ 1 }

  /// The selected application whose records can be read, or nil.
  var readableApplication: Int? {
    switch self {
    case .idle, .selected: nil
    case .initiated(let exchange), .answered(let exchange): exchange.application
    }
  }

  /// The exchange when it is in a stage, or nil.
  func exchange(in stage: CardStage) -> Exchange? {
    switch (self, stage) {
    case (.selected(let exchange), .selected), (.initiated(let exchange), .initiated),
      (.answered(let exchange), .answered):
      exchange
    default: nil
    }
  }

  /// Makes the next command check the deadline of a new arming.
  mutating func restartDeadline() {
    switch self {
    case .idle: break
    case .selected(var exchange):
      exchange.isInTime = false
      self = .selected(exchange)
    case .initiated(var exchange):
      exchange.isInTime = false
      self = .initiated(exchange)
    case .answered(var exchange):
      exchange.isInTime = false
      self = .answered(exchange)
    }
  }
}

/// The use that a card holds.
enum CardUse: ~Copyable {
  /// None: the card is unarmed.
  case none
  /// A use that no computation has spent.
  case reserved(Arming)
  /// A spent use. It stays until the field changes, since its counter and the wallet's octets are still needed.
  case spent(Arming)

  var isReserved: Bool {
    switch self {
    case .reserved: true
    default: false
    }
  }

  var isSpent: Bool {
    switch self {
    case .spent: true
    default: false
    }
  }
}
