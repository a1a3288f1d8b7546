public import ArgumentParser
public import PaymentAcceptance

extension PaymentKind: ExpressibleByArgument {}
