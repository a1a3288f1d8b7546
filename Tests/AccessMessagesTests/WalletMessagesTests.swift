import Documents
import FIDOUAF
import JSON
import Testing

@testable import AccessMessages

@Suite("Bodies of wallet access")
struct WalletMessagesTests {
  typealias Body = RoundTripTests.Body

  static let device: JSONValue = [
    "deviceId": "d", "name": "Phone", "signatureKey": RoundTripTests.jwk, "encryptionKey": RoundTripTests.jwk,
    "target": "p", "replaces": "c", "system": "Linux 6.1",
  ]
  static let requirements: JSONValue = [
    "questions": [["id": "pet", "text": "Your first pet?", "mandatory": true]], "requiredAnswers": 1,
    "password": [
      "minimumLength": 8, "maximumLength": 64, "requiresLetter": true, "requiresDigit": true,
      "requiresBothCases": false,
    ],
    "pin": ["minimumLength": 4, "maximumLength": 8, "maximumSimilarDigits": 3, "allowsSequences": false],
    "pinLogin": true, "biometricLogin": true, "idleSeconds": 600, "pinAttempts": 5, "tapWithoutLogin": false,
  ]
  static let profile: JSONValue = [
    "firstName": "Ada", "lastName": "Lovelace", "email": "ada@example.org", "password": "correct horse 1",
    "passcode": "8203", "phone": "+44 20 1234", "answers": [["questionId": "pet", "answer": "Rex"]],
    "additionalCustomerInformation": ["branch": "12"],
  ]

  static let bodies: [Body] = [
    Body("device", device) { try WalletDevice($0).json },
    Body("requirements", requirements) { try WalletRequirements($0).json },
    Body("profile", profile) { try UserProfile($0).json },
    Body("enrolment", ["message": "Welcome", "nonce": "n"]) { try EnrolmentResponse($0).json },
    Body("device status", ["registered": true, "active": false]) { try DeviceStatus($0).json },
    Body("device status with a session", ["registered": true, "active": true, "loggedIn": false]) {
      try DeviceStatus($0).json
    },
    Body("login by nonce", ["nonce": "n", "device": device]) { try SessionRequest($0).json },
    Body("login by password", ["userName": "ada@example.org", "password": "p", "scope": "lostDevice"]) {
      try SessionRequest($0).json
    },
    Body("login by PIN", ["pin": "8203"]) { try SessionRequest($0).json },
    Body("login by biometrics", ["biometricToken": "t"]) { try SessionRequest($0).json },
    Body("session", ["session": "s", "idleSeconds": 600, "scope": "wallet"]) { try WalletSession($0).json },
    Body("login by PIN with a limit", ["pin": "8203", "idleSeconds": 60]) { try SessionOpening($0).json },
    Body("limit of a session", ["idleSeconds": 60]) { try SessionLimit($0).json },
    Body("activity in a session", [:]) { try SessionLimit($0).json },
    Body("new PIN", ["pin": "8203", "newPin": "1379"]) { try PINReplacement($0).json },
    Body("question", ["token": "t", "question": ["id": "pet", "text": "Your first pet?"]]) {
      try QuestionPrompt($0).json
    },
    Body("answer", ["token": "t", "answer": "Rex", "device": device, "idleSeconds": 60]) {
      try QuestionAnswer($0).json
    },
    Body("beginning of a recovery", ["userName": "ada@example.org", "secret": "pin"]) { try RecoveryRequest($0).json },
    Body("answer of a recovery", ["token": "t", "answer": "Rex"]) { try RecoveryRequest($0).json },
    Body("reset", ["resetToken": "t", "newSecret": "1379"]) { try RecoveryRequest($0).json },
    Body("reset token", ["resetToken": "t"]) { try ResetToken($0).json },
    Body("biometric token", ["token": "t"]) { try BiometricToken($0).json },
    Body(
      "devices",
      [
        "devices": [
          [
            "deviceId": "d", "name": "Phone", "active": true, "current": false, "createdAt": 1, "system": "Linux 6.1",
            "lastContactAt": 2,
          ]
        ]
      ]
    ) { try WalletDeviceList($0).json },
    Body(
      "profile", ["email": "ada@example.org", "firstName": "Ada", "lastName": "Lovelace", "phone": "123"]
    ) { try WalletProfile($0).json },
    Body("change of a profile", ["lastName": "King", "phone": "123"]) { try ProfileChange($0).json },
    Body(
      "wallets",
      [
        "wallets": [
          [
            "id": "w", "userName": "ada@example.org", "firstName": "Ada", "lastName": "Lovelace", "phone": "123",
            "createdAt": 1,
            "devices": [["deviceId": "d", "name": "Phone", "active": true, "linked": false, "createdAt": 2]],
          ]
        ], "next": "w",
      ]
    ) { try WalletList($0).json },
    Body(
      "signature",
      [
        "method": "POST", "path": "/wallet/v1/sessions", "bodySHA256": RoundTripTests.identifier, "issuedAt": 1,
        "id": "AAAAAAAAAAAAAAAAAAAAAA", "audience": "https://server.test",
      ]
    ) { try DeviceSignature($0).json },
  ]

  @Test(arguments: bodies) func `a body is written as it was read`(body: Body) throws {
    #expect(try body.again(body.json) == body.json)
  }

  @Test(arguments: bodies) func `a member of the wrong type is refused`(body: Body) throws {
    for member in body.json.members ?? [] {
      let wrong = body.json.setting(member.key, to: [[nil]])
      #expect(throws: DocumentError.self, "\(member.key)") { try body.again(wrong) }
    }
    #expect(throws: DocumentError.self) { try body.again([]) }
  }

  @Test(arguments: bodies) func `a text or number without limit is refused`(body: Body) throws {
    let long = JSONValue(String(repeating: "A", count: 5_000))
    for member in body.json.members ?? [] {
      if member.value.text != nil {
        #expect(throws: DocumentError.self, "\(member.key)") {
          try body.again(body.json.setting(member.key, to: long))
        }
      }
      if member.value.integer != nil {
        #expect(throws: DocumentError.self, "\(member.key)") {
          try body.again(body.json.setting(member.key, to: -1))
        }
      }
    }
  }

  @Test(
    arguments: [
      ["nonce": "n", "pin": "8203"], ["pin": "8203", "biometricToken": "t"], ["userName": "a@b"], [:],
    ] as [JSONValue])
  func `a login goes one way`(json: JSONValue) {
    #expect(throws: DocumentError.self) { try SessionRequest(json) }
  }

  @Test(arguments: [["userName": "a@b", "token": "t"], ["token": "t", "resetToken": "r"], [:]] as [JSONValue])
  func `a recovery makes one step`(json: JSONValue) {
    #expect(throws: DocumentError.self) { try RecoveryRequest(json) }
  }

  @Test func `no description contains a secret`() throws {
    let texts = [
      "\(try UserProfile(Self.profile))", "\(SessionRequest.pin("8203"))", "\(BiometricToken(token: "8203"))",
      "\(WalletSession(session: "8203", idleSeconds: 1))", "\(EnrolmentResponse(message: "m", nonce: "8203"))",
      "\(QuestionAnswer(token: "8203", answer: "Rex", device: nil))", "\(ResetToken(resetToken: "8203"))",
      "\(RecoveryRequest.reset(resetToken: "8203", newSecret: "8203"))",
      "\(QuestionPrompt(token: "8203", questionID: "pet", text: "?"))",
    ]
    for text in texts { #expect(!text.contains("8203") && !text.contains("Rex"), "\(text)") }
  }
}
